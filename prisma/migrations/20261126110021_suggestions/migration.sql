-- Changes of lines that notes on merge requests suggest.
CREATE TABLE "suggestions" (
    "id" SERIAL NOT NULL,
    "note_id" INTEGER NOT NULL,
    "lines_above" INTEGER NOT NULL,
    "lines_below" INTEGER NOT NULL,
    "from_content" TEXT NOT NULL,
    "to_content" TEXT NOT NULL,
    "commit_sha" TEXT,
    "outdated" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "suggestions_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "suggestions_note_id_id_idx" ON "suggestions"("note_id", "id");
ALTER TABLE "suggestions" ADD CONSTRAINT "suggestions_note_id_fkey" FOREIGN KEY ("note_id") REFERENCES "notes"("id")
    ON DELETE CASCADE ON UPDATE CASCADE;
