#!/bin/sh
# Backs the server up into a directory: a full backup each week, and on other days what is new since. Eight weeks are kept.
#   backup.sh /var/backups/gantry
set -eu
directory=${1:?name the directory of the backups}
gantry=${GANTRY_COMMAND:-$(dirname "$0")/../../bin/gantry.js}
week=$directory/week-$(date +%G-%V).gantry
day=$directory/day-$(date +%F).gantry

if [ ! -e "$week" ]; then
  "$gantry" backup "$week"
  "$gantry" backup verify "$week"
else
  # A second one on the same day takes the place of the first.
  "$gantry" backup "$day" --since "$week" --force
  "$gantry" backup verify "$day"
fi

# A full backup stays a week longer than those that build on it.
find "$directory" -name 'day-*.gantry' -mtime +56 -delete
find "$directory" -name 'week-*.gantry' -mtime +63 -delete
