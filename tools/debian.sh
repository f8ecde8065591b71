#!/bin/sh
# Programs for the tests that Debian offers and pip does not: Chromium, to open pages as a person would; R and the JDBC
# driver of PostgreSQL, to ask the gate as they do; Tesseract, to read scans. Installed where that is ours to do (root on Debian or Ubuntu);
# elsewhere one line each says what is left out. Nothing here makes the tests fail.
SECONDS_TO_FETCH=300

has() {
  for each in "$@"; do
    if command -v "$each" >/dev/null 2>&1 || [ -e "$each" ]; then return 0; fi
  done
  return 1
}

install() { # what it is called, then its packages; fetched first, so that a slow line leaves nothing half done
  [ "$(id -u)" = 0 ] && has apt-get || return 1
  echo "installing $1 for the tests"
  shift
  export DEBIAN_FRONTEND=noninteractive
  [ -n "$UPDATED" ] || { apt-get update -qq >/dev/null 2>&1 && UPDATED=yes; } || return 1
  timeout "$SECONDS_TO_FETCH" apt-get install -d -y -qq "$@" >/dev/null 2>&1 &&
    apt-get install -y -qq "$@" >/dev/null 2>&1
}

if [ -z "$SFUMATO_CHROMIUM" ] && ! has chromium chromium-browser google-chrome; then
  install Chromium chromium ||
    echo "left out: no Chromium, so pages are not opened in a browser (install it, or set SFUMATO_CHROMIUM)"
fi
if ! has Rscript; then
  install R --no-install-recommends r-base-core r-cran-dbi r-cran-rpostgresql r-cran-dbplyr ||
    echo "left out: no R, so the gate is not asked from R (install r-base-core, r-cran-rpostgresql, r-cran-dbplyr)"
fi
if [ -z "$SFUMATO_JDBC" ] && ! has /usr/share/java/postgresql.jar; then
  install "the JDBC driver of PostgreSQL" --no-install-recommends libpostgresql-jdbc-java ||
    echo "left out: no JDBC driver, so the gate is not asked as DBeaver asks (libpostgresql-jdbc-java, or SFUMATO_JDBC)"
fi
if ! has tesseract; then
  install Tesseract --no-install-recommends tesseract-ocr tesseract-ocr-eng ||
    echo "left out: no Tesseract, so scans are not read (install tesseract-ocr)"
fi
exit 0
