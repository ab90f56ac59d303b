SELECT split_part(split_part("urls"."url", '#', 1), '?', 1) AS value, clicks
FROM (
SELECT min(used."url") AS "url", sum(used.clicks)::BIGINT AS clicks
FROM (
SELECT "url", count(*) AS clicks
FROM facts
WHERE facts."workspaceId" = 7
  AND facts."time" >= 1795132800000
  AND facts."time" < 1795219200000
  AND facts."bot" = 0
GROUP BY "url"
) AS used
JOIN (SELECT "number", hash(split_part(split_part("urls"."url", '#', 1), '?', 1)) AS "first", hash('.' || split_part(split_part("urls"."url", '#', 1), '?', 1)) AS "second" FROM "urls" WHERE "urls"."workspaceId" = 7) AS urlTexts ON urlTexts."number" = used."url"
GROUP BY urlTexts."first", urlTexts."second"
) AS counted
JOIN "urls" ON "urls"."number" = counted."url"
ORDER BY clicks DESC, value
LIMIT 5000
