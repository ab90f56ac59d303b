SELECT "agents"."os" AS value, sum(counted.clicks)::BIGINT AS clicks
FROM (
SELECT "agent", count(*) AS clicks
FROM facts
WHERE facts."workspaceId" = $1
  AND facts."time" >= $2
  AND facts."time" < $3
  AND facts."bot" = 0
  AND facts."link" IN (SELECT "number" FROM "links" WHERE "links"."linkId" IN ($4))
  AND facts."place" IN (SELECT "number" FROM "places" WHERE "places"."country" NOT IN ($5, $6))
  AND facts."url" IN (SELECT "number" FROM "urls" WHERE "urls"."utm_source" IN ($7, $8))
GROUP BY "agent"
) AS counted
JOIN "agents" ON "agents"."number" = counted."agent"
GROUP BY value
ORDER BY clicks DESC, value
LIMIT $9
-- $1 = 7
-- $2 = 1795132800000
-- $3 = 1795219200000
-- $4 = "link_a"
-- $5 = "US"
-- $6 = "CA"
-- $7 = "'; DROP TABLE clicks; --"
-- $8 = ""
-- $9 = 10
