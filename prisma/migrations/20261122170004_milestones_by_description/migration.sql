-- The search over the whole server finds milestones by their descriptions.
CREATE INDEX CONCURRENTLY "milestones_description_trgm" ON "milestones" USING GIN ("description" gin_trgm_ops);
