SELECT "urls"."url" AS value, count(*) AS clicks, count(DISTINCT nullif("visitor", 0)) AS visitors
FROM facts
JOIN "urls" ON "urls"."number" = facts."url"
WHERE facts."workspaceId" = 7
  AND facts."time" >= 1795132800000
  AND facts."time" < 1795219200000
  AND facts."bot" = 0
GROUP BY value
ORDER BY visitors DESC, clicks DESC, value
LIMIT 5000
