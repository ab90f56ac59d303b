SELECT (("time" + CASE WHEN "time" < $1 THEN $2 ELSE CASE WHEN "time" < $3 THEN $4 ELSE $5 END END + 259200000) // 3600000) % 168 AS value, count(*) AS clicks, count(DISTINCT nullif("visitor", 0)) AS visitors
FROM facts
WHERE facts."workspaceId" = $6
  AND facts."time" >= $7
  AND facts."time" < $8
  AND facts."bot" = 0
  AND facts."place" IN (SELECT "number" FROM "places" WHERE "places"."country" IN ($9))
GROUP BY value
HAVING clicks > 0
ORDER BY value
-- $1 = 2000
-- $2 = 7200000
-- $3 = 3000
-- $4 = 3600000
-- $5 = -20700000
-- $6 = 7
-- $7 = 1795132800000
-- $8 = 1795219200000
-- $9 = "DE"
