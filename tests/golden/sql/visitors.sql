SELECT "urls"."url" AS value, clicks, visitors
FROM (
SELECT min(facts."url") AS "url", count(*) AS clicks, count(DISTINCT nullif("visitor", 0)) AS visitors
FROM facts
JOIN (SELECT "number", hash("urls"."url") AS "first", hash('.' || "urls"."url") AS "second" FROM "urls" WHERE "urls"."workspaceId" = 7) AS urlTexts ON urlTexts."number" = facts."url"
WHERE facts."workspaceId" = 7
  AND facts."time" >= 1795132800000
  AND facts."time" < 1795219200000
  AND facts."bot" = 0
GROUP BY urlTexts."first", urlTexts."second"
) AS counted
JOIN "urls" ON "urls"."number" = counted."url"
ORDER BY visitors DESC, clicks DESC, value
LIMIT 5000
