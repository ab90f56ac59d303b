SELECT "referrers"."referer" AS value, sum(counted.clicks)::BIGINT AS clicks
FROM (
SELECT "referrer", count(*) AS clicks
FROM facts
WHERE facts."workspaceId" = $1
  AND facts."time" >= $2
  AND facts."time" < $3
  AND facts."bot" = 0
GROUP BY "referrer"
) AS counted
JOIN "referrers" ON "referrers"."number" = counted."referrer"
GROUP BY value
ORDER BY clicks DESC, value
LIMIT $4
-- $1 = 7
-- $2 = 1795132800000
-- $3 = 1795219200000
-- $4 = 5001
