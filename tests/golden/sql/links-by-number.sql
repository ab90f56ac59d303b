SELECT 0 AS value, count(*) AS clicks
FROM facts
WHERE facts."workspaceId" = 7
  AND facts."time" >= 1795132800000
  AND facts."time" < 1795219200000
  AND facts."bot" = 0
  AND facts."link" IN (3, 14, 15)
