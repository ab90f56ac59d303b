SELECT CASE WHEN "time" < 3000 THEN CASE WHEN "time" < 2000 THEN 0 ELSE 1 END ELSE CASE WHEN "time" < 4000 THEN 2 ELSE 3 END END AS value, count(*) AS clicks, count(DISTINCT nullif("visitor", 0)) AS visitors
FROM facts
WHERE facts."workspaceId" = 7
  AND facts."time" >= 1795132800000
  AND facts."time" < 1795219200000
  AND facts."bot" = 0
GROUP BY value
HAVING clicks > 0
ORDER BY value
