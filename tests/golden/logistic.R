# Log-loss on held-out rows of models of R; see README.md.
folder <- commandArgs(trailingOnly = TRUE)[1]
read <- function(form, part) {
  data <- read.csv(file.path(folder, paste0(form, "_", part, ".csv")))
  data$g <- factor(data$g)
  data$y <- factor(data$y, levels = sort(unique(data$y)))
  data
}
loss <- function(p, y) -mean(log(p[cbind(seq_along(y), as.integer(y))]))
cat("form,method,log_loss\n")
for (form in c("binary", "bent", "ordinal", "category")) {
  train <- read(form, "train")
  held_out <- read(form, "held_out")
  if (form == "ordinal") {
    fit <- MASS::polr(y ~ a + b + g, data = train)
    p <- predict(fit, held_out, type = "probs")
    method <- "MASS::polr"
  } else if (form == "category") {
    fit <- nnet::multinom(y ~ a + b + g, data = train, trace = FALSE, maxit = 1000)
    p <- predict(fit, held_out, type = "probs")
    method <- "nnet::multinom"
  } else {
    fit <- glm(y ~ a + b + g, data = train, family = binomial)
    one <- predict(fit, held_out, type = "response")
    p <- cbind(1 - one, one)
    method <- "glm"
  }
  cat(sprintf("%s,%s,%.6f\n", form, method, loss(p, held_out$y)))
}
