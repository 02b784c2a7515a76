-- CreateEnum
CREATE TYPE "mail_in_outcome" AS ENUM ('accepted', 'refused', 'dropped');

-- AlterTable
ALTER TABLE "users" ADD COLUMN     "mail_in_version" INTEGER NOT NULL DEFAULT 0;

-- CreateTable
CREATE TABLE "mail_in_messages" (
    "id" SERIAL NOT NULL,
    "digest" BYTEA NOT NULL,
    "outcome" "mail_in_outcome",
    "reason" TEXT,
    "received_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "handled_at" TIMESTAMPTZ(3),

    CONSTRAINT "mail_in_messages_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "mail_in_parts" (
    "message_id" INTEGER NOT NULL,
    "number" INTEGER NOT NULL,
    "content" BYTEA NOT NULL,

    CONSTRAINT "mail_in_parts_pkey" PRIMARY KEY ("message_id","number")
);

-- CreateTable
CREATE TABLE "mail_in_mailboxes" (
    "id" INTEGER NOT NULL,
    "holder" TEXT NOT NULL,
    "held_until" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "mail_in_mailboxes_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "mail_in_messages_digest_key" ON "mail_in_messages"("digest");

-- CreateIndex
CREATE INDEX "mail_in_messages_received_at_idx" ON "mail_in_messages"("received_at");

-- AddForeignKey
ALTER TABLE "mail_in_parts" ADD CONSTRAINT "mail_in_parts_message_id_fkey" FOREIGN KEY ("message_id") REFERENCES "mail_in_messages"("id") ON DELETE CASCADE ON UPDATE CASCADE;
