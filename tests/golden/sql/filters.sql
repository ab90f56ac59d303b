SELECT "agents"."os" AS value, sum(counted.clicks)::BIGINT AS clicks
FROM (
SELECT "agent", count(*) AS clicks
FROM facts
WHERE facts."workspaceId" = 7
  AND facts."time" >= 1795132800000
  AND facts."time" < 1795219200000
  AND facts."bot" = 0
  AND facts."link" IN (SELECT "number" FROM "links" WHERE "workspaceId" = 7 AND "links"."linkId" IN ($1))
  AND facts."place" IN (SELECT "number" FROM "places" WHERE "places"."country" NOT IN ($2, $3))
  AND facts."url" IN (SELECT "number" FROM "urls" WHERE "workspaceId" = 7 AND "urls"."utm_source" IN ($4, ''))
GROUP BY "agent"
) AS counted
JOIN "agents" ON "agents"."number" = counted."agent"
GROUP BY value
ORDER BY clicks DESC, value
LIMIT 10
-- $1 = "link_a"
-- $2 = "US"
-- $3 = "CA"
-- $4 = "'; DROP TABLE clicks; --"
