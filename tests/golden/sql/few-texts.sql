SELECT split_part(split_part("urls"."url", '#', 1), '?', 1) AS value, sum(counted.clicks)::BIGINT AS clicks
FROM (
SELECT "url", count(*) AS clicks
FROM facts
WHERE facts."workspaceId" = 7
  AND facts."time" >= 1795132800000
  AND facts."time" < 1795219200000
  AND facts."bot" = 0
GROUP BY "url"
) AS counted
JOIN "urls" ON "urls"."number" = counted."url"
GROUP BY value
ORDER BY clicks DESC, value
LIMIT 5000
