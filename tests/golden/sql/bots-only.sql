SELECT 0 AS value, count(*) AS clicks
FROM clicks
WHERE "workspaceId" = $1
  AND "time" >= $2
  AND "time" < $3
  AND "bot" <> ''
-- $1 = 7
-- $2 = 1795132800000
-- $3 = 1795219200000
