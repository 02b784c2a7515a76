-- Whether packages can be published again. Servers of the version before do not know it and do as they always did.
CREATE TABLE "package_settings" (
    "id" SERIAL NOT NULL,
    "namespace_id" INTEGER NOT NULL,
    "maven_duplicates_allowed" BOOLEAN NOT NULL,
    "maven_duplicate_exception_regex" TEXT NOT NULL,
    "generic_duplicates_allowed" BOOLEAN NOT NULL,
    "generic_duplicate_exception_regex" TEXT NOT NULL,
    "nuget_duplicates_allowed" BOOLEAN NOT NULL,
    "nuget_duplicate_exception_regex" TEXT NOT NULL,
    "terraform_module_duplicates_allowed" BOOLEAN NOT NULL,
    "terraform_module_duplicate_exception_regex" TEXT NOT NULL,

    CONSTRAINT "package_settings_pkey" PRIMARY KEY ("id")
);

CREATE UNIQUE INDEX "package_settings_namespace_id_key" ON "package_settings"("namespace_id");

ALTER TABLE "package_settings" ADD CONSTRAINT "package_settings_namespace_id_fkey" FOREIGN KEY ("namespace_id") REFERENCES "namespaces"("id") ON DELETE CASCADE ON UPDATE CASCADE;
