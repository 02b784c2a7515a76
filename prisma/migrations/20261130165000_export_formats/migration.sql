-- What the archive of a project is like: one of Gantry, or one that GitLab reads.
ALTER TABLE project_exports ADD COLUMN format text NOT NULL DEFAULT 'gantry' CHECK (format IN ('gantry', 'gitlab'));
