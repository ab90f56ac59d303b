SELECT "referrers"."refererGroup" AS value, clicks
FROM (
SELECT min(used."referrer") AS "referrer", sum(used.clicks)::BIGINT AS clicks
FROM (
SELECT "referrer", count(*) AS clicks
FROM facts
WHERE facts."workspaceId" = 7
  AND facts."time" >= 1795132800000
  AND facts."time" < 1795219200000
  AND facts."bot" = 0
GROUP BY "referrer"
) AS used
JOIN (SELECT "number", hash("referrers"."refererGroup") AS "first", hash('.' || "referrers"."refererGroup") AS "second" FROM "referrers" WHERE "referrers"."channel" IN ($1, $2)) AS referrerTexts ON referrerTexts."number" = used."referrer"
GROUP BY referrerTexts."first", referrerTexts."second"
) AS counted
JOIN "referrers" ON "referrers"."number" = counted."referrer"
ORDER BY clicks DESC, value
LIMIT 5001
-- $1 = "social"
-- $2 = "search"
