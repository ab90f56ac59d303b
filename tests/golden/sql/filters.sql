SELECT "os" AS value, count(*) AS clicks
FROM clicks
WHERE "workspaceId" = $1
  AND "time" >= $2
  AND "time" < $3
  AND "bot" = ''
  AND "linkId" IN ($4)
  AND "country" NOT IN ($5, $6)
  AND "utm_source" IN ($7, $8)
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
