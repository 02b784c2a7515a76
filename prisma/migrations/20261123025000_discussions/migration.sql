-- The thread that a note answers in. Servers of the version before leave it out: what they write begins a thread of its own.
ALTER TABLE "notes" ADD COLUMN "discussion_id" INTEGER;

-- CreateTable
CREATE TABLE "discussions" (
    "id" INTEGER NOT NULL,
    "merge_request_id" INTEGER NOT NULL,
    "note_id" INTEGER NOT NULL,
    "resolved_at" TIMESTAMPTZ(3),
    "resolved_by_id" INTEGER,
    "original_position" JSONB,
    "position" JSONB,
    "version_id" INTEGER,
    "diff_lines" JSONB,

    CONSTRAINT "discussions_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "discussions_note_id_key" ON "discussions"("note_id");

-- CreateIndex
CREATE INDEX "discussions_merge_request_id_id_idx" ON "discussions"("merge_request_id", "id");

-- CreateIndex
CREATE INDEX "discussions_resolved_by_id_idx" ON "discussions"("resolved_by_id");

-- AddForeignKey
ALTER TABLE "discussions" ADD CONSTRAINT "discussions_merge_request_id_fkey" FOREIGN KEY ("merge_request_id") REFERENCES "merge_requests"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "discussions" ADD CONSTRAINT "discussions_note_id_fkey" FOREIGN KEY ("note_id") REFERENCES "notes"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "discussions" ADD CONSTRAINT "discussions_resolved_by_id_fkey" FOREIGN KEY ("resolved_by_id") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;
