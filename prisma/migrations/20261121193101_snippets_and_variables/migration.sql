-- CreateTable
CREATE TABLE "snippets" (
    "id" SERIAL NOT NULL,
    "project_id" INTEGER,
    "author_id" INTEGER NOT NULL,
    "title" TEXT NOT NULL,
    "file_name" TEXT NOT NULL,
    "content" TEXT NOT NULL,
    "visibility" "visibility" NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "snippets_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "variables" (
    "id" SERIAL NOT NULL,
    "project_id" INTEGER NOT NULL,
    "key" TEXT NOT NULL,
    "value_encrypted" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "variables_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "snippets_project_id_id_idx" ON "snippets"("project_id", "id");

-- CreateIndex
CREATE INDEX "snippets_project_id_visibility_id_idx" ON "snippets"("project_id", "visibility", "id");

-- CreateIndex
CREATE INDEX "snippets_author_id_id_idx" ON "snippets"("author_id", "id");

-- CreateIndex
CREATE INDEX "variables_project_id_id_idx" ON "variables"("project_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "variables_project_id_key_key" ON "variables"("project_id", "key");

-- AddForeignKey
ALTER TABLE "snippets" ADD CONSTRAINT "snippets_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "snippets" ADD CONSTRAINT "snippets_author_id_fkey" FOREIGN KEY ("author_id") REFERENCES "users"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "variables" ADD CONSTRAINT "variables_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;
