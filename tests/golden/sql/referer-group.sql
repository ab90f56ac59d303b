SELECT "referrers"."refererGroup" AS value, sum(counted.clicks)::BIGINT AS clicks
FROM (
SELECT "referrer", count(*) AS clicks
FROM facts
WHERE facts."workspaceId" = 7
  AND facts."time" >= 1795132800000
  AND facts."time" < 1795219200000
  AND facts."bot" = 0
GROUP BY "referrer"
) AS counted
JOIN "referrers" ON "referrers"."number" = counted."referrer"
WHERE "referrers"."channel" IN ($1, $2)
GROUP BY value
ORDER BY clicks DESC, value
LIMIT 5001
-- $1 = "social"
-- $2 = "search"
