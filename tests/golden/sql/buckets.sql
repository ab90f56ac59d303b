SELECT CASE WHEN "time" < $4 THEN CASE WHEN "time" < $5 THEN 0 ELSE 1 END ELSE CASE WHEN "time" < $6 THEN 2 ELSE 3 END END AS value, count(*) AS clicks, count(DISTINCT "visitor") AS visitors
FROM clicks
WHERE "workspaceId" = $1
  AND "time" >= $2
  AND "time" < $3
  AND "bot" = ''
GROUP BY value
ORDER BY value
-- $1 = 7
-- $2 = 1795132800000
-- $3 = 1795219200000
-- $4 = 3000
-- $5 = 2000
-- $6 = 4000
