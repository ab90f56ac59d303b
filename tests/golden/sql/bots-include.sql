SELECT 0 AS value, coalesce(sum(clicks), 0)::BIGINT AS clicks
FROM (
SELECT 0 AS value, "clicks" AS clicks
FROM slots AS facts
WHERE "workspaceId" = $1 AND "slot" >= $2 AND "slot" < $3
UNION ALL
SELECT 0, 1
FROM fresh AS facts
WHERE facts."workspaceId" = $4
  AND facts."time" >= $5
  AND facts."time" < $6
)
-- $1 = 7
-- $2 = 1994592
-- $3 = 1994688
-- $4 = 7
-- $5 = 1795132800000
-- $6 = 1795219200000
