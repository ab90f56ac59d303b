SELECT "city" AS value, "region" AS within1, "country" AS within2, count(*) AS clicks
FROM clicks
WHERE "workspaceId" = $1
  AND "time" >= $2
  AND "time" < $3
  AND "bot" = ''
GROUP BY value, within1, within2
ORDER BY clicks DESC, value, within1, within2
LIMIT $4
-- $1 = 7
-- $2 = 1795132800000
-- $3 = 1795219200000
-- $4 = 5000
