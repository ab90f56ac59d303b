SELECT split_part(split_part("urls"."url", '#', 1), '?', 1) AS value, sum(counted.clicks)::BIGINT AS clicks
FROM (
SELECT "url", count(*) AS clicks
FROM facts
WHERE facts."workspaceId" = $1
  AND facts."time" >= $2
  AND facts."time" < $3
  AND facts."bot" = 0
GROUP BY "url"
) AS counted
JOIN "urls" ON "urls"."number" = counted."url"
GROUP BY value
ORDER BY clicks DESC, value
LIMIT $4
-- $1 = 7
-- $2 = 1795132800000
-- $3 = 1795219200000
-- $4 = 5000
