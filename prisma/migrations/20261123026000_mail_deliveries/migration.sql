-- Who gets mail about what happened, so that nobody gets it twice.
CREATE TABLE "mail_deliveries" (
    "key" TEXT NOT NULL,
    "user_id" INTEGER NOT NULL,
    "sent_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "mail_deliveries_pkey" PRIMARY KEY ("key", "user_id")
);

CREATE INDEX "mail_deliveries_user_id_idx" ON "mail_deliveries"("user_id");
CREATE INDEX "mail_deliveries_created_at_idx" ON "mail_deliveries"("created_at");

ALTER TABLE "mail_deliveries" ADD CONSTRAINT "mail_deliveries_user_id_fkey"
    FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;
