SELECT *
FROM clicks
WHERE rowid IN (
  SELECT rowid
  FROM clicks
  WHERE "workspaceId" = $1
  AND "time" >= $2
  AND "time" < $3
  AND "country" IN ($4)
  ORDER BY "time" ASC, "id" ASC
  LIMIT $5 OFFSET $6
)
ORDER BY "time" ASC, "id" ASC
-- $1 = 7
-- $2 = 1795132800000
-- $3 = 1795219200000
-- $4 = "DE"
-- $5 = 50
-- $6 = 100
