-- CreateTable
CREATE TABLE "mail_events" (
    "id" BIGSERIAL NOT NULL,
    "key" TEXT NOT NULL,
    "subject_type" TEXT NOT NULL,
    "subject_id" INTEGER NOT NULL,
    "happening" JSONB NOT NULL,
    "recipients_found" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "mail_events_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "mail_threads" (
    "user_id" INTEGER NOT NULL,
    "subject_type" TEXT NOT NULL,
    "subject_id" INTEGER NOT NULL,
    "holder" TEXT NOT NULL,
    "held_until" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "mail_threads_pkey" PRIMARY KEY ("user_id","subject_type","subject_id")
);

-- CreateIndex
CREATE UNIQUE INDEX "mail_events_key_key" ON "mail_events"("key");

-- CreateIndex
CREATE INDEX "mail_events_subject_type_subject_id_id_idx" ON "mail_events"("subject_type", "subject_id", "id");

-- CreateIndex
CREATE INDEX "mail_events_created_at_idx" ON "mail_events"("created_at");

-- AddForeignKey
ALTER TABLE "mail_threads" ADD CONSTRAINT "mail_threads_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;
