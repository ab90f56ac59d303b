SELECT 0 AS value, count(*) AS clicks
FROM facts
WHERE facts."workspaceId" = $1
  AND facts."time" >= $2
  AND facts."time" < $3
  AND facts."bot" = 0
  AND false
  AND true
-- $1 = 7
-- $2 = 1795132800000
-- $3 = 1795219200000
