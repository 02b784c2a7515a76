-- The search over the whole server finds milestones by their titles.
CREATE INDEX CONCURRENTLY "milestones_title_trgm" ON "milestones" USING GIN ("title" gin_trgm_ops);
