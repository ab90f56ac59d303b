SELECT "urls"."url" AS value, count(*) AS clicks, count(DISTINCT nullif("visitor", 0)) AS visitors
FROM facts
JOIN "urls" ON "urls"."number" = facts."url"
WHERE facts."workspaceId" = $1
  AND facts."time" >= $2
  AND facts."time" < $3
  AND facts."bot" = 0
GROUP BY value
ORDER BY visitors DESC, clicks DESC, value
LIMIT $4
-- $1 = 7
-- $2 = 1795132800000
-- $3 = 1795219200000
-- $4 = 5000
