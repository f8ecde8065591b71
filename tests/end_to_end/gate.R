# What people do with a database in R: DBI with the driver that is there, then dbplyr where that is there.
# Each line that is printed is a name, a tab and what came out.
library(DBI)
args <- commandArgs(TRUE)
driver <- if (requireNamespace("RPostgres", quietly = TRUE)) RPostgres::Postgres() else RPostgreSQL::PostgreSQL()
came <- function(name, value) cat(name, "\t", paste(format(value), collapse = " "), "\n", sep = "")
refused <- function(does) {
  told <- ""
  note <- function(condition) told <<- paste(told, conditionMessage(condition))
  withCallingHandlers(
    tryCatch(does, error = note), warning = function(condition) { note(condition); invokeRestart("muffleWarning") }
  )
  told
}

con <- dbConnect(driver, host = args[1], port = as.integer(args[2]), user = args[3], password = args[4],
                 dbname = "sfumato")
came("tables", dbListTables(con))
came("exists", c(dbExistsTable(con, "people"), dbExistsTable(con, "nobody")))
came("fields", dbListFields(con, "people"))
whole <- dbReadTable(con, "people")
came("whole", c(nrow(whole), ncol(whole), class(whole$age), class(whole$cost)))
counted <- dbGetQuery(con, "SELECT sex, COUNT(*) AS n FROM people GROUP BY sex ORDER BY sex")
came("counted", c(counted$sex, sum(counted$n)))
some <- dbGetQuery(con, "SELECT town, cost FROM people WHERE town = $1 AND sex = $2", list("Bergen", "F"))
came("bound", c(unique(some$town), nrow(some) > 20))
sent <- dbSendQuery(con, "SELECT sex, cost FROM people")
came("fetched", c(nrow(dbFetch(sent, 5)), dbHasCompleted(sent)))
invisible(dbClearResult(sent))
came("direct", refused(dbGetQuery(con, "SELECT name FROM people")))
came("written", refused(dbWriteTable(con, "mine", data.frame(a = 1:3))))
came("after", dbGetQuery(con, "SELECT 1 AS one")$one)
invisible(dbBegin(con))
came("within", nrow(dbGetQuery(con, "SELECT sex FROM people LIMIT 2")))
invisible(dbCommit(con))

if (requireNamespace("dbplyr", quietly = TRUE)) suppressWarnings({
  library(dplyr, warn.conflicts = FALSE)
  people <- tbl(con, "people")
  came("columns", colnames(people))
  came("filter", people |> filter(sex == "F", town %in% c("Bergen", "Cadiz")) |> count() |> pull(n) > 100)
  came("groups", people |> count(sex) |> arrange(sex) |> collect() |> pull(sex))
  came("mean", people |> group_by(sex) |> summarise(m = mean(cost, na.rm = TRUE)) |> collect() |> nrow())
  came("head", people |> select(town, cost) |> head(5) |> collect() |> nrow())
  came("distinct", people |> distinct(town) |> collect() |> nrow())
  came("printed", length(capture.output(print(people))) > 10)
  came("explained", length(capture.output(people |> filter(sex == "F") |> select(cost) |> explain())) > 4)
})
invisible(dbDisconnect(con))
