-- Namespaces are searched by their full paths.
CREATE INDEX CONCURRENTLY "namespaces_full_path_trgm" ON "namespaces" USING GIN ("full_path" gin_trgm_ops);
