SELECT ("origins"."idHigh" || lpad(to_hex(facts."idLow"), 16, '0'))::UUID AS "id"
  , facts."time", facts."workspaceId"
  , "links"."linkId"
  , "links"."domainId"
  , "links"."domain"
  , "links"."key"
  , "urls"."url"
  , "urls"."utm_source"
  , "urls"."utm_medium"
  , "urls"."utm_campaign"
  , "urls"."utm_term"
  , "urls"."utm_content"
  , "places"."country"
  , "places"."region"
  , "places"."city"
  , "places"."continent"
  , "agents"."device"
  , "agents"."browser"
  , "agents"."os"
  , "referrers"."referer"
  , "referrers"."refererUrl"
  , "languages"."language"
  , CASE facts."trigger" WHEN 0 THEN 'link' WHEN 1 THEN 'qr' END AS "trigger"
  , CASE facts."bot" WHEN 0 THEN '' WHEN 1 THEN 'search' WHEN 2 THEN 'preview' WHEN 3 THEN 'ai' WHEN 4 THEN 'monitor' WHEN 5 THEN 'tool' WHEN 6 THEN 'prefetch' WHEN 7 THEN 'head' END AS "bot"
  , nullif(facts."visitor", 0) AS "visitor"
FROM (
SELECT facts.*
FROM facts JOIN "origins" ON "origins"."number" = facts."origin"
WHERE facts."workspaceId" = 7
  AND facts."time" >= 1795132800000
  AND facts."time" < 1795219200000
  AND facts."bot" = 0
  AND facts."place" IN (SELECT "number" FROM "places" WHERE "places"."country" IN ($1))
  AND "origins"."idHigh" = $2
  AND facts."idLow" >= $3::UBIGINT
  AND facts."idLow" < $4::UBIGINT
ORDER BY facts."idLow"
LIMIT 100
) AS facts
JOIN "links" ON "links"."number" = facts."link"
JOIN "urls" ON "urls"."number" = facts."url"
JOIN "places" ON "places"."number" = facts."place"
JOIN "agents" ON "agents"."number" = facts."agent"
JOIN "referrers" ON "referrers"."number" = facts."referrer"
JOIN "languages" ON "languages"."number" = facts."language"
JOIN "origins" ON "origins"."number" = facts."origin"
ORDER BY "id"
-- $1 = "DE"
-- $2 = "0f8fad5bd9cb869f"
-- $3 = "9223372036854775872"
-- $4 = "9223372036854779904"
