-- Keys are unique with their environment scopes now.
DROP INDEX "variables_project_id_key_key";
