SELECT min("time") AS value, count(*) AS clicks
FROM facts
WHERE facts."workspaceId" = $1
  AND facts."time" >= $2
  AND facts."time" < $3
HAVING count(*) > 0
-- $1 = 7
-- $2 = 0
-- $3 = 1795219200000
