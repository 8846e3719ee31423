ALTER TABLE "configuration_versions" ADD COLUMN "backing_data_deleted_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "organizations" ADD COLUMN "retention" jsonb;--> statement-breakpoint
ALTER TABLE "state_versions" ADD COLUMN "backing_data_deleted_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "workspaces" ADD COLUMN "retention" jsonb;--> statement-breakpoint
CREATE INDEX "configuration_versions_deleted_idx" ON "configuration_versions" USING btree ("backing_data_deleted_at");--> statement-breakpoint
CREATE INDEX "state_versions_deleted_idx" ON "state_versions" USING btree ("backing_data_deleted_at");