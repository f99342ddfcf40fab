# Rscript cam_pruning.R FOLDER > cam_pruning.csv
# For every model_<number>.csv of the folder and every column: mgcv's additive regression on all columns before it.
# See README.md beside this file for why there are two.
suppressMessages(library(mgcv))
folder <- commandArgs(trailingOnly = TRUE)[1]

# The outer Newton optimiser, which gam() does not use for the Gaussian family with GCV, from several starts.
best_of_starts <- function(formula, data) {
  family <- quasi(link = "identity", variance = "constant")
  setup <- gam(formula, data = data, family = family, fit = FALSE)
  start <- mgcv:::initial.sp(setup$X, setup$S, setup$off)
  control <- gam.control(newton = list(conv.tol = 1e-8))
  fits <- lapply(c(-4, -2, 0, 2, 4, 8), function(shift) tryCatch(
    gam(formula, data = data, family = family, control = control, in.out = list(sp = start * exp(shift), scale = 1)),
    error = function(e) list(gcv.ubre = Inf)))
  fits[[which.min(sapply(fits, function(fit) fit$gcv.ubre))]]
}

cat("model,child,parent,gcv,edf,reference_df,p_value,default_gcv,default_edf,default_p_value\n")
for (model in seq_along(list.files(folder, "^model_.*csv$")) - 1) {
  data <- read.csv(file.path(folder, sprintf("model_%d.csv", model)))
  for (child in 2:ncol(data)) {
    parents <- names(data)[1:(child - 1)]
    formula <- as.formula(paste(names(data)[child], "~", paste0("s(", parents, ", k = 10)", collapse = " + ")))
    best <- best_of_starts(formula, data)
    default <- gam(formula, data = data)
    best_terms <- summary(best)$s.table
    default_terms <- summary(default)$s.table
    for (k in seq_along(parents)) {
      cat(sprintf("%d,%s,%s,%.9g,%.7g,%.7g,%.9g,%.9g,%.7g,%.9g\n", model, names(data)[child], parents[k],
                  best$gcv.ubre, best_terms[k, "edf"], best_terms[k, "Ref.df"], best_terms[k, "p-value"],
                  default$gcv.ubre, default_terms[k, "edf"], default_terms[k, "p-value"]))
    }
  }
}
