SELECT min("time") AS value, count(*) AS clicks
FROM clicks
WHERE "workspaceId" = $1
  AND "time" >= $2
  AND "time" < $3
HAVING count(*) > 0
-- $1 = 7
-- $2 = 0
-- $3 = 1795219200000
