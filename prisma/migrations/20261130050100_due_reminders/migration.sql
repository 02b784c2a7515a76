-- Whether mail is wanted about issues that are due tomorrow, where the level is `custom`.
ALTER TABLE "notification_settings" ADD COLUMN "issue_due" BOOLEAN NOT NULL DEFAULT false;
