-- Where system notes come from, by which it is known who sees them. Servers of the version before leave it out.
ALTER TABLE "notes" ADD COLUMN "source_type" TEXT,
ADD COLUMN "source_id" INTEGER,
ADD COLUMN "source_project_id" INTEGER,
ADD COLUMN "mention" TEXT;

-- What was told of moved issues so far.
UPDATE "notes" n SET "source_type" = 'Issue', "source_id" = t."id", "source_project_id" = t."project_id"
  FROM "issues" i JOIN "issues" t ON t."id" = i."moved_to_id"
  WHERE n."subject_type" = 'Issue' AND n."subject_id" = i."id" AND n."system" AND n."body" LIKE 'moved to %';
UPDATE "notes" n SET "source_type" = 'Issue', "source_id" = i."id", "source_project_id" = i."project_id"
  FROM "issues" i JOIN "issues" t ON t."id" = i."moved_to_id"
  WHERE n."subject_type" = 'Issue' AND n."subject_id" = t."id" AND n."system" AND n."body" LIKE 'moved from %';
