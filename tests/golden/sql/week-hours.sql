SELECT (("time" + CASE WHEN "time" < 2000 THEN 7200000 ELSE CASE WHEN "time" < 3000 THEN 3600000 ELSE (-20700000) END END + 259200000) // 3600000) % 168 AS value, count(*) AS clicks, count(DISTINCT nullif("visitor", 0)) AS visitors
FROM facts
WHERE facts."workspaceId" = 7
  AND facts."time" >= 1795132800000
  AND facts."time" < 1795219200000
  AND facts."bot" = 0
  AND facts."place" IN (SELECT "number" FROM "places" WHERE "places"."country" IN ($1))
GROUP BY value
HAVING clicks > 0
ORDER BY value
-- $1 = "DE"
