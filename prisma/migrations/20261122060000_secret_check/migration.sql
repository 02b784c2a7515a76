-- CreateTable
CREATE TABLE "secret_check" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "digest" BYTEA NOT NULL,

    CONSTRAINT "secret_check_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "secret_check_one" CHECK ("id" = 1)
);
