#!/usr/bin/env python3
"""Writes one table as R, pandas, Excel, LibreOffice and others export it, into the folder of this file.

Quotes, row names, separators, marks and words of truth are those that these programs write. exports_test.cpp reads all of the
files and compares.
"""

import gzip
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
NAMES = ["region", "promoted", "price", "change", "sold", "renewed"]
ROWS = [
    ("north", True, 12.5, -0.5, 1204, "yes"),
    ("south", False, 7.25, 0.75, 950, "no"),
    ("west end", True, 9.0, -1.5, 15300, "yes"),
    ("north", False, 11.125, 2.25, 1234567, "no"),
    ("south", True, 8.5, -3.0625, 87, "yes"),
    ("west end", False, 10.75, 0.5, 2048, "yes"),
    ("north", True, 6.5, 1.25, 31415, "no"),
    ("south", False, 14.0, -2.75, 640, "yes"),
    ("west end", True, 5.25, 0.25, 7, "no"),
    ("north", False, 13.5, 3.5, 999, "yes"),
    ("south", True, 12.75, -0.125, 100000, "no"),
    ("west end", False, 9.5, 1.75, 1500, "yes"),
]


def number(value, decimal=".", group=""):
    text = repr(value)
    if text.endswith(".0"):
        text = text[:-2]
    whole, _, fraction = text.partition(".")
    if group:
        sign = "-" if whole.startswith("-") else ""
        whole = sign + f"{abs(int(whole)):,}".replace(",", group)
    return whole + (decimal + fraction if fraction else "")


def cells(true="TRUE", false="FALSE", decimal=".", group="", quote=""):
    """The rows as texts; `quote` around words."""
    return [
        [quote + region + quote, true if promoted else false, number(price, decimal), number(change, decimal),
         number(sold, decimal, group), quote + renewed + quote]
        for region, promoted, price, change, sold, renewed in ROWS
    ]


def lines(rows, separator=",", end="\n", names=None):
    table = ([NAMES] if names is None else [names] if names else []) + rows
    return "".join(separator.join(row) + end for row in table)


def quoted(texts):
    return [f'"{text}"' for text in texts]


def labelled(rows, first=1, quote='"'):
    return [[f"{quote}{i + first}{quote}"] + row for i, row in enumerate(rows)]


def aligned(rows):
    return "".join("  ".join(f"{cell:>12}" for cell in row) + "\n" for row in rows)


def main():
    bom = "\ufeff"
    plain = lines(cells())
    r = cells(quote='"')
    files = {
        "plain.csv": plain,
        "r_write_csv.csv": lines(labelled(r), names=['""'] + quoted(NAMES)),
        "r_write_csv_without_row_names.csv": lines(r, names=quoted(NAMES)),
        "r_write_csv2.csv": lines(labelled(cells(decimal=",", quote='"')), ";", names=['""'] + quoted(NAMES)),
        "r_write_table.txt": lines(labelled(r), " ", names=quoted(NAMES)),
        "r_write_table_tab.txt": lines(labelled(r), "\t", names=quoted(NAMES)),
        "r_write_table_comma.txt": lines(labelled(r), names=quoted(NAMES)),
        "readr_write_tsv.tsv": lines(cells(), "\t"),
        "pandas_index.csv": lines(labelled(cells("True", "False"), 0, ""), names=[""] + NAMES),
        "pandas.csv": lines(cells("True", "False")),
        "pandas_decimal_comma.csv": lines(cells("True", "False", ","), ";"),
        "excel_us.csv": bom + lines([[*row[:4], f'"{row[4]}"' if "," in row[4] else row[4], row[5]]
                                     for row in cells(group=",")], end="\r\n"),
        "excel_german.csv": bom + lines(cells("WAHR", "FALSCH", ","), ";", "\r\n"),
        "excel_german_thousands.csv": bom + lines(cells("WAHR", "FALSCH", ",", "."), ";", "\r\n"),
        "excel_french.csv": bom + lines(cells("VRAI", "FAUX", ",", "\u202f"), ";", "\r\n"),
        "excel_swiss.csv": lines(cells(group="'"), ";", "\r\n"),
        "excel_sep_line.csv": "sep=;\r\n" + lines(cells(decimal=","), ";", "\r\n"),
        "libreoffice_all_quoted.csv": lines([quoted(row) for row in cells()], names=quoted(NAMES)),
        "libreoffice_bars.csv": lines(cells(), "|"),
        "old_mac.csv": lines(cells(), end="\r"),
        "decimal_comma_in_quotes.csv": lines([quoted(row) for row in cells(decimal=",")], names=quoted(NAMES)),
        "units.csv": lines([["", "", "EUR", "[%]", "pieces", ""]] + cells()),
        "titles.csv": "Sales of the year\nmade by hand, twice\n" + plain,
        "comments.csv": "# Sales of the year\n# made by hand, twice\n" + plain.replace("south", "# a remark\nsouth", 1),
        "names_in_comment.csv": "#" + plain,
        "percent_comments.csv": "% made with Octave\n" + plain,
        "blank_lines_and_padding.csv": "\n" + plain.replace(",", " , ").replace("\n", "\n\n") + "\n",
        "columns_by_spaces.txt": aligned([NAMES] + [[row[0].replace("west end", '"west end"')] + row[1:] for row in cells()]),
    }
    for name, text in files.items():
        (FOLDER / name).write_bytes(text.encode())
    for name, text in {"gzip.csv.gz": plain, "gzip_german.csv.gz": files["excel_german.csv"]}.items():
        (FOLDER / name).write_bytes(gzip.compress(text.encode(), mtime=0))


if __name__ == "__main__":
    main()
