SELECT min("slot") AS "slot"
FROM (
  SELECT "slot" FROM slots WHERE "workspaceId" = 7 GROUP BY "slot" HAVING sum("clicks") > 0
  UNION ALL SELECT "time" // 900000 FROM "fresh" WHERE "workspaceId" = 7
)
