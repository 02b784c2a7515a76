-- Lists of projects are narrowed by topics.
CREATE INDEX CONCURRENTLY "projects_topics" ON "projects" USING GIN ((lower_texts("tag_list")));
