SELECT "url" AS value, count(*) AS clicks, count(DISTINCT "visitor") AS visitors
FROM clicks
WHERE "workspaceId" = $1
  AND "time" >= $2
  AND "time" < $3
  AND "bot" = ''
GROUP BY value
ORDER BY visitors DESC, clicks DESC, value
LIMIT $4
-- $1 = 7
-- $2 = 1795132800000
-- $3 = 1795219200000
-- $4 = 5000
