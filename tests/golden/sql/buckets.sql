SELECT CASE WHEN "time" < $1 THEN CASE WHEN "time" < $2 THEN 0 ELSE 1 END ELSE CASE WHEN "time" < $3 THEN 2 ELSE 3 END END AS value, count(*) AS clicks, count(DISTINCT nullif("visitor", 0)) AS visitors
FROM facts
WHERE facts."workspaceId" = $4
  AND facts."time" >= $5
  AND facts."time" < $6
  AND facts."bot" = 0
GROUP BY value
HAVING clicks > 0
ORDER BY value
-- $1 = 3000
-- $2 = 2000
-- $3 = 4000
-- $4 = 7
-- $5 = 1795132800000
-- $6 = 1795219200000
