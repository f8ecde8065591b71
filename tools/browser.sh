#!/bin/sh
# A Chromium for the tests that open the report as a person would. Installed where that is ours to do (root on
# Debian or Ubuntu); elsewhere one line says what is left out.
for name in chromium chromium-browser google-chrome; do
  command -v "$name" >/dev/null 2>&1 && exit 0
done
[ -n "${SFUMATO_CHROMIUM:-}" ] && exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
  echo "installing Chromium for the browser tests"
  apt-get update -qq >/dev/null && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium >/dev/null && exit 0
fi
echo "left out: no Chromium, so the report is not opened in a browser (install it, or set SFUMATO_CHROMIUM)"
