SELECT 0 AS value, count(*) AS clicks
FROM facts
WHERE facts."workspaceId" = 7
  AND facts."time" >= 1795132800000
  AND facts."time" < 1795219200000
  AND facts."bot" = 0
  AND facts."link" IN (SELECT "number" FROM "links" WHERE "workspaceId" = 7 AND "links"."linkId" NOT IN (SELECT unnest(from_json($1, '["VARCHAR"]'))))
-- $1 = "[\"link_0\",\"link_1\",\"link_2\",\"link_3\",\"link_4\",\"link_5\",\"link_6\",\"link_7\",\"link_8\",\"link_9\",\"link_10\",\"link_11\",\"link_12\",\"link_13\",\"link_14\",\"link_15\",\"link_16\",\"link_17\",\"link_18\",\"link_19\",\"link_20\",\"link_21\",\"link_22\",\"link_23\",\"link_24\",\"link_25\",\"link_26\",\"link_27\",\"link_28\",\"link_29\",\"link_30\",\"link_31\",\"link_32\",\"link_33\",\"link_34\",\"link_35\",\"link_36\",\"link_37\",\"link_38\",\"link_39\",\"link_40\",\"link_41\",\"link_42\",\"link_43\",\"link_44\",\"link_45\",\"link_46\",\"link_47\",\"link_48\",\"link_49\",\"link_50\",\"link_51\",\"link_52\",\"link_53\",\"link_54\",\"link_55\",\"link_56\",\"link_57\",\"link_58\",\"link_59\",\"link_60\",\"link_61\",\"link_62\",\"link_63\",\"link_64\",\"link_65\",\"link_66\",\"link_67\",\"link_68\",\"link_69\",\"link_70\",\"link_71\",\"link_72\",\"link_73\",\"link_74\",\"link_75\",\"link_76\",\"link_77\",\"link_78\",\"link_79\",\"link_80\",\"link_81\",\"link_82\",\"link_83\",\"link_84\",\"link_85\",\"link_86\",\"link_87\",\"link_88\",\"link_89\",\"link_90\",\"link_91\",\"link_92\",\"link_93\",\"link_94\",\"link_95\",\"link_96\",\"link_97\",\"link_98\",\"link_99\",\"link_100\"]"
