-- CreateTable
CREATE TABLE "custom_attributes" (
    "id" SERIAL NOT NULL,
    "user_id" INTEGER,
    "namespace_id" INTEGER,
    "project_id" INTEGER,
    "key" TEXT NOT NULL,
    "value" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "custom_attributes_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "custom_attributes_of_one" CHECK (num_nonnulls("user_id", "namespace_id", "project_id") = 1)
);

-- CreateIndex
CREATE UNIQUE INDEX "custom_attributes_user_id_key_key" ON "custom_attributes"("user_id", "key");

-- CreateIndex
CREATE UNIQUE INDEX "custom_attributes_namespace_id_key_key" ON "custom_attributes"("namespace_id", "key");

-- CreateIndex
CREATE UNIQUE INDEX "custom_attributes_project_id_key_key" ON "custom_attributes"("project_id", "key");

-- CreateIndex
CREATE INDEX "custom_attributes_key_value_idx" ON "custom_attributes"("key", "value");

-- AddForeignKey
ALTER TABLE "custom_attributes" ADD CONSTRAINT "custom_attributes_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "custom_attributes" ADD CONSTRAINT "custom_attributes_namespace_id_fkey" FOREIGN KEY ("namespace_id") REFERENCES "namespaces"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "custom_attributes" ADD CONSTRAINT "custom_attributes_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;
